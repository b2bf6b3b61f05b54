//! The cost of reading, checking and lowering, by the size of the model:
//! `cargo bench -p merkhet-model --bench load`.

use std::fmt::Write;

use divan::{Bencher, counter::BytesCount};
use syntax::{Format, Sources};

fn main() {
    divan::main();
}

/// Returns an XML model with `templates` templates of 100 locations and edges each, and as many
/// functions.
fn text(templates: usize) -> String {
    let mut out = String::from("<?xml version=\"1.0\"?><nta><declaration>int v[100]; chan c[10];\n");
    for i in 0..templates * 50 {
        let body = "int s = a; while (s &lt; b) { s += 1; } return s;";
        let _ = writeln!(out, "int g{i} = {}; // variable {i}\nint f{i}(int a, int b) {{ {body} }}", i % 7);
    }
    out.push_str("</declaration>\n");
    for t in 0..templates {
        let _ = writeln!(out, "<template><name>T{t}</name><declaration>clock y; int l;</declaration>");
        for l in 0..100 {
            let invariant = format!("y &lt;= {} &amp;&amp; l &gt;= 0", l + 5);
            let _ = writeln!(
                out,
                "<location id=\"id{t}_{l}\"><name>L{l}</name><label kind=\"invariant\">{invariant}</label></location>"
            );
        }
        let _ = writeln!(out, "<init ref=\"id{t}_0\"/>");
        for l in 0..100 {
            let (next, g, mark) = ((l + 1) % 100, (t * 50 + l) % (templates * 50), if l % 2 == 0 { '!' } else { '?' });
            let _ = writeln!(
                out,
                "<transition><source ref=\"id{t}_{l}\"/><target ref=\"id{t}_{next}\"/>\
                 <label kind=\"guard\">y &gt;= {l} &amp;&amp; v[{l}] == {} &amp;&amp; g{g} &lt; 100</label>\
                 <label kind=\"synchronisation\">c[{}]{mark}</label>\
                 <label kind=\"assignment\">y = 0, l = f{g}({l}, {next}), v[{l}] = (v[{l}] + 1) % 3</label></transition>",
                l % 3,
                l % 10
            );
        }
        out.push_str("</template>\n");
    }
    let names: Vec<String> = (0..templates).map(|t| format!("T{t}")).collect();
    let _ = writeln!(out, "<system>system {};</system></nta>", names.join(", "));
    out
}

#[divan::bench(args = [15, 30, 60, 120])]
fn templates_of_100_edges(bencher: Bencher<'_, '_>, templates: usize) {
    let text = text(templates);
    bencher.counter(BytesCount::of_str(&text)).bench_local(|| {
        let mut sources = Sources::new();
        let file = sources.add_file("bench.xml", text.clone());
        let (tree, diagnostics) = syntax::read_model(&mut sources, file, Format::Xml);
        assert!(diagnostics.is_empty());
        model::load(tree).is_ok()
    });
}
