//! Arguments of the live page, which all commands that serve it share.

use clap::Args;
use std::net::IpAddr;

/// The address of the page, and the rights of viewers.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ViewArguments {
    /// Serves the page at this address; without it only this machine can open the page.
    #[arg(long, value_name = "ADDRESS", help_heading = "Live page")]
    pub(crate) host: Option<IpAddr>,
    /// Serves the page on this port, or on the next free one; 8420 by default, 0 is any free one.
    #[arg(long, value_name = "PORT", help_heading = "Live page")]
    port: Option<u16>,
    /// Lets viewers watch and not touch: every message that would change the run is refused.
    #[arg(long, help_heading = "Live page")]
    pub(crate) read_only: bool,
}

/// The port without `--port`.
#[cfg(feature = "view")]
const USUAL_PORT: u16 = 8420;

impl ViewArguments {
    /// Returns the first option that was given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let given = [("host", self.host.is_some()), ("port", self.port.is_some()), ("read-only", self.read_only)];
        given.into_iter().find(|(_, is_given)| *is_given).map(|(option, _)| option)
    }

    /// Returns the first port to try.
    #[cfg(feature = "view")]
    pub(crate) fn port(&self) -> u16 {
        self.port.unwrap_or(USUAL_PORT)
    }

    /// Returns the address to listen at.
    #[cfg(feature = "view")]
    pub(crate) fn address(&self) -> IpAddr {
        self.host.unwrap_or(IpAddr::V4(std::net::Ipv4Addr::LOCALHOST))
    }
}
