//! Pictures for all commands that show something: the arguments and the file.
//!
//! In: a drawing and its caption. Out: a PNG file, drawn without a window or a graphics card.

use crate::Failure;
use crate::output::to_file;
use crate::progress::Progress;
use crate::section_option::SectionArgument;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use heurt::geometry::{Aabb, Camera, Vec3};
use heurt::view::picture::{Caption, Direction, Drawing, Image, draw_picture_with, frame_bounds};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Arguments of a picture.
#[derive(Debug, Clone, Args)]
pub(crate) struct PictureArguments {
    /// Writes a picture, with title, scale bar and axes.
    #[arg(long, value_name = "FILE.png", help_heading = "Picture")]
    pub(crate) picture: Option<PathBuf>,
    /// Width and height of the picture in pixels.
    #[arg(long, value_name = "WxH", default_value = "1600x1000", help_heading = "Picture")]
    pub(crate) picture_size: PictureSize,
    /// The side from which the picture is taken; z is up.
    #[arg(long, value_name = "SIDE", default_value = "isometric", value_parser = direction_parser(), help_heading = "Picture")]
    pub(crate) picture_from: Direction,
    /// Cuts the picture open: x, y or z through the middle, x=LENGTH, a plane as 1,0,1=LENGTH, or in a check x@ROW
    /// through a finding; the side of the viewer is taken away.
    #[arg(long, value_name = "PLANE", requires = "picture", allow_hyphen_values = true, help_heading = "Picture")]
    pub(crate) section: Option<SectionArgument>,
}

/// Width and height in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PictureSize([usize; 2]);

impl FromStr for PictureSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let sides = text.split_once(['x', 'X', '×']).and_then(|(width, height)| {
            let side = |text: &str| text.trim().parse::<usize>().ok();
            Some([side(width)?, side(height)?])
        });
        let is_legal = |side: &usize| (16..=Image::MAX_SIDE).contains(side);
        let legal = format!("give width and height as 1600x1000, from 16 to {} pixels each", Image::MAX_SIDE);
        sides.filter(|sides| sides.iter().all(is_legal)).map(Self).ok_or(legal)
    }
}

/// Returns the parser of a direction, by its name.
pub(crate) fn direction_parser() -> impl TypedValueParser<Value = Direction> {
    let of_name = |name: String| Direction::ALL.into_iter().find(|direction| direction.name() == name);
    PossibleValuesParser::new(Direction::ALL.map(Direction::name)).map(move |name| of_name(name).unwrap_or_default())
}

impl Default for PictureArguments {
    fn default() -> Self {
        let picture_size = PictureSize([1600, 1000]);
        Self { picture: None, picture_size, picture_from: Direction::Isometric, section: None }
    }
}

impl PictureArguments {
    /// Returns the file to write, if there is one.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.picture.as_deref()
    }

    /// Returns width and height in pixels.
    pub(crate) fn size(&self) -> [usize; 2] {
        self.picture_size.0
    }

    /// Refuses a name that is no PNG file; before the work is done.
    pub(crate) fn check_name(&self) -> Result<(), Failure> {
        match &self.picture {
            Some(path) => check_png("picture", path),
            None => Ok(()),
        }
    }

    /// Draws a picture that shows a box, with `up` upwards, and writes it, if a file is named; with a progress bar
    /// unless quiet.
    pub(crate) fn write(
        &self,
        drawing: &Drawing,
        bounds: &Aabb,
        up: Vec3,
        caption: &Caption,
        is_quiet: bool,
    ) -> Result<(), Failure> {
        let camera = self.camera(bounds, up, self.size())?;
        self.write_from(&camera, drawing, caption, is_quiet)
    }

    /// Draws a picture from a camera and writes it, as [`Self::write`].
    pub(crate) fn write_from(
        &self,
        camera: &Camera,
        drawing: &Drawing,
        caption: &Caption,
        is_quiet: bool,
    ) -> Result<(), Failure> {
        let Some(path) = &self.picture else { return Ok(()) };
        let progress = Progress::new("drawing", self.size()[1] as u64, is_quiet);
        let image = draw_picture_with(drawing, camera, self.size(), caption, &|| progress.step());
        drop(progress);
        write_png(path, &image)
    }

    /// Returns the camera that shows a box on a picture of this size.
    pub(crate) fn camera(&self, bounds: &Aabb, up: Vec3, size: [usize; 2]) -> Result<Camera, Failure> {
        let aspect = size[0] as f64 / size[1] as f64;
        let camera = frame_bounds(bounds, self.picture_from, up, aspect);
        camera.map_err(|source| Failure::NoPicture { source })
    }
}

/// Refuses a file that is not PNG by its name.
pub(crate) fn check_png(option: &'static str, path: &Path) -> Result<(), Failure> {
    if path.as_os_str() == "-" {
        return Err(Failure::ExportToOutput { option });
    }
    match path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png")) {
        true => Ok(()),
        false => Err(Failure::NoPngName { path: path.to_owned() }),
    }
}

/// Writes an image.
pub(crate) fn write_png(path: &Path, image: &Image) -> Result<(), Failure> {
    let bytes = image.to_png();
    to_file(path, |file| Ok(file.write_all(&bytes)?))
}
