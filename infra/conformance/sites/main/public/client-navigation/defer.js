window.deferRuns = (window.deferRuns || 0) + 1
