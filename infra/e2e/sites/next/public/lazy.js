window.lazy = true
