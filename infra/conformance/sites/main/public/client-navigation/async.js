window.asyncRuns = (window.asyncRuns || 0) + 1
