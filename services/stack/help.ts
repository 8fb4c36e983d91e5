// The text of `portico start --help`.

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

  portico start                 build if needed, then serve the working directory
  portico start --json          write the log as JSON lines
  portico start --no-build      serve the existing build
  portico start --scale renderer=3 --scale images=2
                                run several processes of a service (renderer, images; actions with STATE_REDIS_URL)
  portico dev                   serve the sources of the app folder, to this machine only
  portico dev --host            serve them to other machines, too; --host=ADDRESS listens on one address
  APP_DIR=../my-site portico start
                                serve another app folder
In Portico's repository: npm start, npm start -- --json, npm run dev.

Environment:
${lines.join('\n')}

Ctrl-C stops all services after their running requests.
`
}
