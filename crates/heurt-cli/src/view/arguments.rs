//! Arguments of the live page, which all commands that serve it share.

use clap::Args;
use std::net::IpAddr;

/// The address of the page, and the rights of viewers.
#[derive(Debug, Clone, Args)]
pub(crate) struct ViewArguments {
    /// Serves the page at this address; without it only this machine can open the page.
    #[arg(long, value_name = "ADDRESS", help_heading = "Live page")]
    pub(crate) host: Option<IpAddr>,
    /// Serves the page on this port, or on the next free one.
    #[arg(long, value_name = "PORT", default_value_t = 8420, help_heading = "Live page")]
    pub(crate) port: u16,
    /// Lets viewers watch and not touch: every message that would change the run is refused.
    #[arg(long, help_heading = "Live page")]
    pub(crate) read_only: bool,
}

impl Default for ViewArguments {
    fn default() -> Self {
        Self { host: None, port: 8420, read_only: false }
    }
}

impl ViewArguments {
    /// Returns the address to listen at.
    #[cfg(feature = "view")]
    pub(crate) fn address(&self) -> IpAddr {
        self.host.unwrap_or(IpAddr::V4(std::net::Ipv4Addr::LOCALHOST))
    }
}
