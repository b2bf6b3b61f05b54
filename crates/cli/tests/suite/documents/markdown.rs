//! A parser for the Markdown that the documents use: fenced blocks, headings, code in backquotes,
//! and links.

use std::{fs, path::Path};

/// A document.
pub struct Document {
    /// Its path from the root of the repository.
    pub path: String,
    /// Its lines.
    pub lines: Vec<String>,
}

/// A block between two fences.
pub struct Block {
    /// The word after the opening fence.
    pub language: String,
    /// The number of its first line, from 0.
    pub start: usize,
    /// The number of the closing fence.
    pub end: usize,
}

impl Document {
    pub fn read(root: &Path, path: &str) -> Document {
        let text = fs::read_to_string(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
        Document { path: path.to_owned(), lines: text.lines().map(str::to_owned).collect() }
    }

    /// Returns the blocks, in their order.
    pub fn blocks(&self) -> Vec<Block> {
        let mut blocks: Vec<Block> = Vec::new();
        let mut open = false;
        for (number, line) in self.lines.iter().enumerate() {
            let Some(language) = line.trim_start().strip_prefix("```") else { continue };
            if open {
                blocks.last_mut().unwrap().end = number;
            } else {
                blocks.push(Block { language: language.trim().to_owned(), start: number + 1, end: 0 });
            }
            open = !open;
        }
        assert!(!open, "{}: a block is not closed", self.path);
        blocks
    }

    /// Returns the blocks in a language.
    pub fn blocks_in(&self, language: &str) -> Vec<Block> {
        self.blocks().into_iter().filter(|block| block.language == language).collect()
    }

    /// Returns the lines outside of blocks, with their numbers.
    fn prose(&self) -> Vec<(usize, &str)> {
        let blocks = self.blocks();
        let inside = |number: usize| blocks.iter().any(|block| (block.start..=block.end).contains(&(number + 1)));
        let fence = |line: &str| line.trim_start().starts_with("```");
        let lines = self.lines.iter().enumerate().filter(|(number, line)| !inside(*number) && !fence(line));
        lines.map(|(number, line)| (number, line.as_str())).collect()
    }

    /// Returns the spans of the prose, and whether each is code. A span of code may cross the end
    /// of a line, but not of a paragraph.
    fn pieces(&self) -> Vec<(bool, String)> {
        let mut paragraphs = vec![String::new()];
        let mut last = 0;
        for (number, line) in self.prose() {
            let starts =
                line.trim().is_empty() || line.starts_with(['|', '#']) || line.starts_with("- ") || number != last + 1;
            if starts {
                paragraphs.push(String::new());
            }
            let paragraph = paragraphs.last_mut().unwrap();
            paragraph.push_str(line.trim());
            paragraph.push(' ');
            last = number;
        }
        let mut pieces = Vec::new();
        for paragraph in &paragraphs {
            let parts: Vec<&str> = paragraph.split('`').collect();
            assert!(parts.len() % 2 == 1, "{}: a backquote is missing: {paragraph}", self.path);
            pieces.extend(parts.into_iter().enumerate().map(|(i, part)| (i % 2 == 1, part.to_owned())));
        }
        pieces
    }

    /// Returns the spans in backquotes.
    pub fn code(&self) -> Vec<String> {
        self.pieces().into_iter().filter(|(code, _)| *code).map(|(_, text)| text).collect()
    }

    /// Returns the targets of links and pictures.
    pub fn links(&self) -> Vec<String> {
        // The text of a link may contain code, so code is removed first.
        let text: String = self.pieces().into_iter().filter(|(code, _)| !code).map(|(_, text)| text).collect();
        let ends = text.split("](").skip(1);
        ends.map(|rest| rest.split(')').next().unwrap().to_owned()).collect()
    }

    /// Returns the headings: level, text, and anchor.
    pub fn headings(&self) -> Vec<(usize, String, String)> {
        let mut found: Vec<(usize, String, String)> = Vec::new();
        for (_, line) in self.prose() {
            let depth = line.chars().take_while(|c| *c == '#').count();
            if depth == 0 || !line[depth..].starts_with(' ') {
                continue;
            }
            let text = line[depth..].trim().to_owned();
            let mut anchor: String = text
                .to_lowercase()
                .chars()
                .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
                .map(|c| if c == ' ' { '-' } else { c })
                .collect();
            let before = found.iter().filter(|(_, other, _)| *other == text).count();
            if before > 0 {
                anchor = format!("{anchor}-{before}");
            }
            found.push((depth, text, anchor));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::Document;

    fn document(text: &str) -> Document {
        Document { path: "test.md".to_owned(), lines: text.lines().map(str::to_owned).collect() }
    }

    #[test]
    fn finds_code_links_and_headings_outside_of_blocks() {
        let text = "# A `b` c\n\n`one\ntwo` [x](y.md#z) ![p](q.svg)\n```sh\n# no\n`no` [no](no)\n```\n| `c` |\n## A b c\n## A b c\n";
        let document = document(text);
        assert_eq!(document.code(), ["b", "one two", "c"]);
        assert_eq!(document.links(), ["y.md#z", "q.svg"]);
        let anchors: Vec<_> = document.headings().into_iter().map(|(depth, _, anchor)| (depth, anchor)).collect();
        assert_eq!(anchors, [(1, "a-b-c".to_owned()), (2, "a-b-c".to_owned()), (2, "a-b-c-1".to_owned())]);
        let blocks = document.blocks_in("sh");
        assert_eq!((blocks.len(), blocks[0].start, blocks[0].end), (1, 5, 7));
    }

    #[test]
    #[should_panic(expected = "not closed")]
    fn an_open_block_is_an_error() {
        document("```sh\n").blocks();
    }
}
