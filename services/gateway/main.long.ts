// The same with one worker and with two.

import './main.integration.ts'
