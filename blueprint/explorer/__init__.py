"""One derivation as an offline page: projections of a bundle and its report, and the page that shows them."""
