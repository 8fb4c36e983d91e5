window.counted = (window.counted ?? 0) + 1
