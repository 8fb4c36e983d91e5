window.widget = (window.widget ?? 0) + 1
