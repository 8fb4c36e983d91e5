// Entry of the browser side: hands the app folder's part to the framework's.

import { App, images } from 'virtual:portico/browser-app'
import { startPage } from './start-page.tsx'

void startPage({ App, images })
