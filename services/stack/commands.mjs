// The commands of `portico`. Plain JavaScript: the machine's own Node may be too old for TypeScript.

/** @type {typeof import('./commands.mjs').COMMANDS} */
export const COMMANDS = {
  dev: {
    file: 'services/stack/main',
    args: ['--dev'],
    isServer: true,
    help: 'serves the sources while you edit them',
  },
  build: { file: 'web/build/cli', help: 'builds the site into dist/' },
  start: {
    file: 'services/stack/main',
    isServer: true,
    help: 'serves the build: gateway, renderer, images and actions on one machine',
  },
  types: { file: 'web/build/types-cli', help: 'writes the types of links and public values' },
  purge: { file: 'services/gateway/purge-cli', help: 'purges pages, data and images of a running stack' },
  exec: { file: 'services/stack/exec-cli', help: 'runs a command on the Node of the stack' },
}

export function commandList() {
  return Object.entries(COMMANDS)
    .map(([name, { help }]) => `  portico ${name.padEnd(11)} ${help}`)
    .join('\n')
}
