"""The plots of the page: built once by HoloViews, held by Bokeh, fed new columns with every state."""
