// Entry of the browser side: starts the page with the app folder's part.

import { App, images } from 'virtual:portico/browser-app'
import { startPage } from './start-page.tsx'

void startPage({ App, images })
