//! The numbers of generated states as a picture.

use draw::{Chart, Series};

use crate::json::bench::directed::{DirectedReport, DirectedRun};
use ::bench::directed::{LATER, TABLES};

/// A row for each model, with a mark for each search that is complete.
pub fn svg(report: &DirectedReport) -> String {
    let tables = || TABLES.iter().chain([&LATER]);
    let series = tables().flat_map(|table| table.configurations).map(|configuration| {
        // With the abstraction that users get.
        let is_it = |run: &&DirectedRun| run.configuration == configuration.name && run.abstraction == "auto";
        let runs = report.models.iter().map(|model| model.runs.iter().find(is_it));
        let generated = runs.map(|run| Some(run?.merkhet?.generated as f64));
        Series { name: configuration.name.to_owned(), values: generated.collect() }
    });
    let chart = Chart {
        title: "States generated until the error is found".to_owned(),
        rows: report.models.iter().map(|model| model.model.clone()).collect(),
        series: series.filter(|series| series.values.iter().any(Option::is_some)).collect(),
    };
    draw::chart(&chart)
}
