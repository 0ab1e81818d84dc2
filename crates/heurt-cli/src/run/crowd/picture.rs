//! Pictures and videos of a crowd: storeys side by side, with layers, or what is around one agent.

use super::super::RunArguments;
use super::super::video::Filmed;
use crate::Failure;
use crate::check::counted;
use crate::picture::PictureArguments;
use clap::builder::PossibleValuesParser;
use heurt::crowd::{Crowd, SteeringModel};
use heurt::geometry::{Aabb, Camera, FloorArea, Vec3};
use heurt::view::palette::meaning_colour;
use heurt::view::picture::{Caption, Drawing, LegendEntry, frame_within};
use heurt::view::{CrowdLayer, CrowdView, ROAD_COLOUR, speed_colour};

/// Half the side of the box that is shown around an agent, in metres.
const SURROUNDINGS: f64 = 8.0;

/// Returns the parser of `--layers`.
pub(in crate::run) fn layer_parser() -> PossibleValuesParser {
    PossibleValuesParser::new(CrowdLayer::ALL.map(CrowdLayer::name).into_iter().chain(["none"]))
}

/// The look of the pictures of a crowd.
pub(super) struct CrowdLook {
    pub(super) view: CrowdView,
    layers: Vec<CrowdLayer>,
    /// The number of the agent in the middle.
    followed: Option<u32>,
    pub(super) title: String,
}

/// A crowd in a video or a picture.
pub(super) struct FilmedCrowd<'c> {
    pub(super) crowd: &'c Crowd,
    pub(super) look: &'c CrowdLook,
}

impl CrowdLook {
    /// Reads the options of a run.
    ///
    /// # Errors
    /// [`Failure::NoSuchAgent`], [`Failure::NoBubbles`].
    pub(super) fn new(
        arguments: &RunArguments,
        (crowd, roads): (&Crowd, &[FloorArea]),
        title: String,
    ) -> Result<Self, Failure> {
        let layers = arguments.layers.as_ref().map_or_else(
            || vec![CrowdLayer::Cells],
            |names| names.iter().filter_map(|name| CrowdLayer::from_name(name)).collect(),
        );
        let has_bubbles = matches!(crowd.settings().model, SteeringModel::Bubbles(_));
        if layers.contains(&CrowdLayer::Bubbles) && !has_bubbles {
            return Err(Failure::NoBubbles);
        }
        let followed = arguments.follow.as_deref().map(|name| find_agent(crowd, name)).transpose()?;
        Ok(Self { view: CrowdView::new(crowd, roads), layers, followed, title })
    }

    /// Writes the picture, if a file is named.
    pub(super) fn write(&self, crowd: &Crowd, options: &PictureArguments, is_quiet: bool) -> Result<(), Failure> {
        if options.path().is_none() {
            return Ok(());
        }
        let filmed = FilmedCrowd { crowd, look: self };
        let camera = filmed.camera(&filmed.bounds(), options, options.size())?;
        let (drawing, caption) = filmed.draw();
        options.write_from(&camera, &drawing, &caption, is_quiet)
    }
}

/// Finds an agent by its number, alone or after the name of its group.
fn find_agent(crowd: &Crowd, name: &str) -> Result<u32, Failure> {
    let ends = || [crowd.agents().next(), crowd.agents().last()].map(|agent| agent.map_or(0, |agent| agent.id));
    crowd.find_agent(name).ok_or_else(|| Failure::NoSuchAgent { name: name.to_owned(), ends: ends() })
}

impl Filmed for FilmedCrowd<'_> {
    fn time(&self) -> f64 {
        self.crowd.time()
    }

    fn bounds(&self) -> Aabb {
        self.look.view.bounds()
    }

    fn camera(&self, shown: &Aabb, options: &PictureArguments, size: [usize; 2]) -> Result<Camera, Failure> {
        let followed = self.crowd.agents().find(|agent| Some(agent.id) == self.look.followed);
        let Some(agent) = followed else { return options.camera(shown, Vec3::Z, size) };
        let place = self.look.view.place(self.crowd, &agent);
        let near = Aabb { min: place - SURROUNDINGS, max: place + SURROUNDINGS };
        let aspect = size[0] as f64 / size[1] as f64;
        let camera = frame_within(&near, shown, options.picture_from, Vec3::Z, aspect);
        camera.map_err(|source| Failure::NoPicture { source })
    }

    fn draw(&self) -> (Drawing, Caption) {
        let Self { crowd, look } = self;
        let chosen: Vec<u32> =
            look.followed.or_else(|| crowd.agents().next().map(|agent| agent.id)).into_iter().collect();
        let drawing = look.view.draw(crowd, &look.layers, &chosen);
        // The report of a run is not computed for each frame: its overlaps take as long as a step.
        let [present, left] = [crowd.agents().len(), crowd.arrived()];
        let have = if left == 1 { "has" } else { "have" };
        let present = counted(present, "agent", "agents");
        let line = format!("{:.2} s: {present} present, {left} {have} left", crowd.time());
        let entry = |share: f64, name: &str| LegendEntry { colour: speed_colour(share), name: name.to_owned() };
        let mut legend = vec![entry(1.0, "full speed"), entry(0.5, "half speed"), entry(0.0, "at rest")];
        if look.view.has_roads() {
            legend.push(LegendEntry { colour: ROAD_COLOUR, name: "roads".to_owned() });
        }
        for &(meaning, name) in look.layers.iter().flat_map(|layer| layer.legend()) {
            legend.push(LegendEntry { colour: meaning_colour(meaning), name: name.to_owned() });
        }
        (drawing, Caption { title: look.title.clone(), lines: vec![line], unit: "m".to_owned(), legend })
    }
}
