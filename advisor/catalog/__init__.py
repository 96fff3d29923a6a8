"""Every setting as data, per client family and version: what it may be and what it means.

`acks` is a choice of the texts `all`, `1` and `0`, whatever way it was written; durations and
sizes are integers. A setting that was not stated is not in `settings`: real clients treat it
unlike one that was stated with its default.
"""

from advisor.catalog.combinations import is_own_assignor, refused_assignor, refused_combination
from advisor.catalog.effective import effective
from advisor.catalog.lookups import has, lookup, settings_of
from advisor.catalog.model import (
    Component,
    Family,
    Kind,
    Problem,
    Setting,
    SettingError,
    UnknownSetting,
    Value,
)
from advisor.catalog.old_brokers import is_format, old_format, old_protocol
from advisor.catalog.servers import refused_by_servers, refused_tiering
from advisor.catalog.unsupported import (
    RETENTIONS,
    forgotten_segments,
    is_share_setting,
    not_advised,
)
from advisor.catalog.unworkable import unworkable
from advisor.catalog.validity import validate
from advisor.catalog.values import parse, render, say, written
from advisor.catalog.versions import client_line, kafka_line, kafka_versions, versions

__all__ = [
    "RETENTIONS",
    "Component",
    "Family",
    "Kind",
    "Problem",
    "Setting",
    "SettingError",
    "UnknownSetting",
    "Value",
    "client_line",
    "effective",
    "forgotten_segments",
    "has",
    "is_format",
    "is_own_assignor",
    "is_share_setting",
    "kafka_line",
    "kafka_versions",
    "lookup",
    "not_advised",
    "old_format",
    "old_protocol",
    "parse",
    "refused_assignor",
    "refused_by_servers",
    "refused_combination",
    "refused_tiering",
    "render",
    "say",
    "settings_of",
    "unworkable",
    "validate",
    "versions",
    "written",
]
