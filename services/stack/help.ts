// The text of `npm start -- --help`.

import { SETTINGS, type Setting, type SettingName } from '@portico/shared/kit/config/settings.ts'

/** Usage, options, and the settings that the stack reads, with their defaults. */
export function helpText(): string {
  const names = Object.keys(SETTINGS) as SettingName[]
  const own = names.filter((name) => (SETTINGS[name].services as readonly string[]).includes('stack'))
  const lines = own.map((name) => {
    const setting: Setting = SETTINGS[name]
    const fallback = setting.fallback ?? setting.fallbackRule
    return `  ${name.padEnd(10)} ${setting.help}${fallback === undefined ? '' : ` Default: ${fallback}`}`
  })
  return `Starts gateway, renderer, images and actions on this machine, with everything embedded.

  npm start                     install and build if needed, then serve
  npm start -- --json           write the log as JSON lines
  npm start -- --no-build       serve the existing build
  npm start -- --scale renderer=3 --scale images=2
                                run several processes of a service (renderer, images; actions with STATE_REDIS_URL)
  npm run dev                   serve the sources of the app folder
  APP_DIR=../my-site npm start  serve another app folder

Environment:
${lines.join('\n')}

Ctrl-C stops all services after their running requests.
`
}
