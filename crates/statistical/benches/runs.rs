//! Random runs of Fischer's protocol, beside a loop that is written for it by hand.

use model::stochastic::StochasticSystem;
use statistical::Settings;
use syntax::{Format, Sources};

fn main() {
    divan::main();
}

const PROCESSES: usize = 6;
const STEPS: usize = 20_000;

fn text() -> String {
    format!(
        "int[0,{PROCESSES}] id;
         process P(const int[1,{PROCESSES}] pid) {{
             clock x;
             state idle{{; 1}}, request{{x <= 2}}, wait{{; 1}}, critical{{; 1}};
             init idle;
             trans idle -> request {{ guard id == 0; assign x = 0; }},
                   request -> wait {{ guard x <= 2; assign x = 0, id = pid; }},
                   wait -> request {{ guard id == 0; assign x = 0; }},
                   wait -> critical {{ guard x > 2 && id == pid; }},
                   critical -> idle {{ assign id = 0; }};
         }}
         system P;"
    )
}

/// Makes one run of many transitions, from the model.
#[divan::bench]
fn from_the_model(bencher: divan::Bencher<'_, '_>) {
    let (mut sources, mut model) = oracle::read_model(&text(), Format::Xta).unwrap_or_else(|_| unreachable!());
    let query = format!("Pr[#<={STEPS}; 1](<> false)");
    let file = Sources::add_file(&mut sources, "query", query);
    let query = syntax::read_query(&sources, file, &mut model.tree).swap_remove(0);
    let query = model.statistical_query(&query).unwrap_or_else(|_| unreachable!());
    let system: Option<StochasticSystem> = model.stochastic().map(|system| system.with(&query));
    let Some(system) = system else { return };
    bencher.counter(STEPS).bench(|| statistical::ask(&system, &query.measurement, &Settings::default()));
}

#[derive(Clone, Copy, PartialEq)]
enum Place {
    Idle,
    Request,
    Wait,
    Critical,
}

/// Makes one run of as many transitions by hand.
#[divan::bench]
fn by_hand(bencher: divan::Bencher<'_, '_>) {
    bencher.counter(STEPS).bench(|| {
        let mut random = model::random::RunRandom::new(0, 0);
        let mut places = [Place::Idle; PROCESSES];
        let mut clocks = [0.0_f64; PROCESSES];
        let mut id = 0;
        let mut time = 0.0;
        for _ in 0..STEPS {
            let mut shortest = (f64::INFINITY, 0);
            for process in 0..PROCESSES {
                let delay = match places[process] {
                    Place::Idle if id != 0 => continue,
                    Place::Idle | Place::Critical => random.exponential(),
                    Place::Request => (2.0 - clocks[process]) * random.open_unit(),
                    Place::Wait if id == 0 => random.exponential(),
                    Place::Wait if id == process + 1 => (2.0 - clocks[process]).max(0.0) + random.exponential(),
                    Place::Wait => continue,
                };
                if delay < shortest.0 {
                    shortest = (delay, process);
                }
            }
            let (delay, process) = shortest;
            time += delay;
            clocks.iter_mut().for_each(|clock| *clock += delay);
            places[process] = match places[process] {
                Place::Idle => {
                    clocks[process] = 0.0;
                    Place::Request
                }
                Place::Request => {
                    (clocks[process], id) = (0.0, process + 1);
                    Place::Wait
                }
                Place::Wait if id == 0 => {
                    clocks[process] = 0.0;
                    Place::Request
                }
                Place::Wait => Place::Critical,
                Place::Critical => {
                    id = 0;
                    Place::Idle
                }
            };
        }
        time
    });
}
