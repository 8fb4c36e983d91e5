// The same with the stylesheets of every page.

import './suite.integration.ts'
