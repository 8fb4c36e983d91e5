// Opens a source in the author's editor at the line of an error.

import { spawn } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { basename, resolve, sep } from 'node:path'

/** How editors accept a line and a column; other editors receive only the file. */
const FORMS: readonly [RegExp, (file: string, line: number, column: number) => string[]][] = [
  [/^(code|code-insiders|codium|cursor|windsurf)$/, (file, line, column) => ['--goto', `${file}:${line}:${column}`]],
  [/^(subl|zed|atom|hx)$/, (file, line, column) => [`${file}:${line}:${column}`]],
  [/^(webstorm|idea|phpstorm|rider)$/, (file, line, column) => ['--line', `${line}`, '--column', `${column}`, file]],
  [/^(vim|nvim|gvim|emacs|emacsclient|nano)$/, (file, line) => [`+${line}`, file]],
]

interface EditorDeps {
  appDir: string
  /** The author's editor, a command with arguments: `EDITOR` of the environment. */
  editor: string
  say: (message: string) => void
}

/**
 * SECURITY: accepts only existing files of the app folder and starts the command without a shell, so that a page cannot
 * run another command.
 */
export function createEditorOpener({ appDir, editor, say }: EditorDeps) {
  return function openInEditor(file: string, line: number, column: number): void {
    const path = resolve(appDir, file)
    if (!existsSync(path) || !realpathSync(path).startsWith(realpathSync(appDir) + sep)) return
    const [command = editor, ...given] = editor.split(/\s+/).filter((part) => part !== '')
    const form = FORMS.find(([name]) => name.test(basename(command)))?.[1]
    const child = spawn(command, [...given, ...(form?.(path, line, column) ?? [path])], {
      stdio: 'ignore',
      detached: true,
    })
    child.on('error', () =>
      say(`${command}: the editor could not be started; set EDITOR to the command of your editor`),
    )
    child.unref()
  }
}
