//! Pictures and videos of a crowd of any kind, with layers, or what is around one agent.

use super::super::RunArguments;
use super::super::video::Filmed;
use crate::Failure;
use crate::check::counted;
use crate::picture::PictureArguments;
use clap::builder::PossibleValuesParser;
use heurt::geometry::{Aabb, Camera, Vec3};
use heurt::view::palette::meaning_colour;
use heurt::view::picture::{Caption, Drawing, LegendEntry, frame_within};
use heurt::view::{AgentView, CrowdLayer, speed_colour};

/// Half the side of the box that is shown around an agent, in metres.
const SURROUNDINGS: f64 = 8.0;

/// Returns the parser of `--layers`.
pub(in crate::run) fn layer_parser() -> PossibleValuesParser {
    PossibleValuesParser::new(CrowdLayer::ALL.map(CrowdLayer::name).into_iter().chain(["none"]))
}

/// The look of the pictures of a crowd.
pub(super) struct CrowdLook<V> {
    pub(super) view: V,
    layers: Vec<CrowdLayer>,
    /// The number of the agent in the middle.
    followed: Option<u32>,
    pub(super) title: String,
    /// The meanings of the colours.
    legend: Vec<LegendEntry>,
}

/// A crowd in a video or a picture.
pub(super) struct FilmedCrowd<'c, C, V> {
    pub(super) crowd: &'c C,
    pub(super) look: &'c CrowdLook<V>,
}

impl<V> CrowdLook<V> {
    /// Reads the options of a run.
    ///
    /// # Errors
    /// [`Failure::NoSuchAgent`], [`Failure::NoBubbles`], [`Failure::NoLayer`].
    pub(super) fn new<C>(arguments: &RunArguments, crowd: &C, view: V, title: String) -> Result<Self, Failure>
    where
        V: AgentView<C>,
    {
        let layers = arguments.layers.as_ref().map_or_else(
            || view.usual_layers().to_vec(),
            |names| names.iter().filter_map(|name| CrowdLayer::from_name(name)).collect(),
        );
        match layers.iter().find(|&&layer| !view.has_layer(crowd, layer)) {
            Some(CrowdLayer::Bubbles) => return Err(Failure::NoBubbles),
            Some(layer) => return Err(Failure::NoLayer { layer: layer.name() }),
            None => {}
        }
        let ends = || {
            let ids = view.parts(crowd);
            [ids.first(), ids.last()].map(|part| part.map_or(0, |part| part.agent))
        };
        let find = |name: &str| {
            view.find_agent(crowd, name).ok_or_else(|| Failure::NoSuchAgent { name: name.to_owned(), ends: ends() })
        };
        let followed = arguments.follow.as_deref().map(find).transpose()?;
        let legend = legend_of(crowd, &view, &layers);
        Ok(Self { view, layers, followed, title, legend })
    }

    /// Writes the picture, if a file is named.
    pub(super) fn write<C>(&self, crowd: &C, options: &PictureArguments, is_quiet: bool) -> Result<(), Failure>
    where
        V: AgentView<C>,
    {
        if options.path().is_none() {
            return Ok(());
        }
        let filmed = FilmedCrowd { crowd, look: self };
        let camera = filmed.camera(&filmed.bounds(), options, options.size())?;
        let (drawing, caption) = filmed.draw();
        options.write_from(&camera, &drawing, &caption, is_quiet)
    }
}

impl<C, V: AgentView<C>> Filmed for FilmedCrowd<'_, C, V> {
    fn time(&self) -> f64 {
        self.look.view.time(self.crowd)
    }

    fn bounds(&self) -> Aabb {
        self.look.view.bounds()
    }

    fn camera(&self, shown: &Aabb, options: &PictureArguments, size: [usize; 2]) -> Result<Camera, Failure> {
        let Some(followed) = self.look.followed else { return options.camera(shown, Vec3::Z, size) };
        let parts = self.look.view.parts(self.crowd);
        let Some(part) = parts.iter().find(|part| part.agent == followed) else {
            return options.camera(shown, Vec3::Z, size);
        };
        let near = Aabb { min: part.place.at - SURROUNDINGS, max: part.place.at + SURROUNDINGS };
        let aspect = size[0] as f64 / size[1] as f64;
        let camera = frame_within(&near, shown, options.picture_from, Vec3::Z, aspect);
        camera.map_err(|source| Failure::NoPicture { source })
    }

    fn draw(&self) -> (Drawing, Caption) {
        let Self { crowd, look } = *self;
        let parts = look.view.parts(crowd);
        let first = || parts.first().map(|part| part.agent);
        let chosen: Vec<u32> = look.followed.or_else(first).into_iter().collect();
        let drawing = look.view.draw(crowd, &look.layers, &chosen);
        // The report of a run is not computed for each frame: its overlaps take as long as a step.
        let present = parts.iter().filter(|part| part.section == 0).count();
        let left = look.view.arrived(crowd);
        let have = if left == 1 { "has" } else { "have" };
        let present = counted(present, "agent", "agents");
        let line = format!("{:.2} s: {present} present, {left} {have} left", look.view.time(crowd));
        (
            drawing,
            Caption { title: look.title.clone(), lines: vec![line], unit: "m".to_owned(), legend: look.legend.clone() },
        )
    }
}

/// Lists what the colours of speeds, of the scenery and of layers mean.
fn legend_of<C>(crowd: &C, view: &impl AgentView<C>, layers: &[CrowdLayer]) -> Vec<LegendEntry> {
    let entry = |colour, name: &str| LegendEntry { colour, name: name.to_owned() };
    let [low, between, high] = view.speeds().names;
    let mut legend = [(1.0, high), (0.5, between), (0.0, low)].map(|(at, name)| entry(speed_colour(at), name)).to_vec();
    let scenery = view.scenery(crowd).into_iter().filter(|scenery| !scenery.is_plain);
    legend.extend(scenery.map(|scenery| entry(scenery.colour, scenery.name)));
    let of_layers = layers.iter().flat_map(|layer| layer.legend());
    legend.extend(of_layers.map(|&(meaning, name)| entry(meaning_colour(meaning), name)));
    legend
}
