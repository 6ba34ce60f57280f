// A placeholder, until the page's script is built.
