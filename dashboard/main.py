"""The served page: `panel serve dashboard`."""

import panel as pn

from dashboard.app import visit

pn.extension()
visit().servable(title="Scalegrad")
