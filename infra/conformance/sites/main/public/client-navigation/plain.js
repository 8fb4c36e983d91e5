window.plainRuns = (window.plainRuns || 0) + 1
