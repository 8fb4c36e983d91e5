// The commands of `portico`.

interface PorticoCommand {
  /** Path of the program in the repository, without its extension. */
  file: string
  /** Arguments before those of the user. */
  args?: readonly string[]
  help: string
}

export const COMMANDS: Readonly<Record<string, PorticoCommand>> = {
  dev: { file: 'services/stack/main', args: ['--dev'], help: 'serves the sources while you edit them' },
  build: { file: 'web/build/cli', help: 'builds the site into dist/' },
  start: {
    file: 'services/stack/main',
    help: 'serves the build: gateway, renderer, images and actions on one machine',
  },
  check: {
    file: 'web/build/check/check-cli',
    help: 'reports what the site uses, what differs from Next.js, and what is refused',
  },
  types: { file: 'web/build/types-cli', help: 'writes the types of links and public values' },
  purge: { file: 'services/gateway/purge-cli', help: 'purges pages, data and images of a running stack' },
  why: {
    file: 'services/gateway/why-cli',
    help: 'explains the response to a request, before it is sent or after it has happened',
  },
  secrets: { file: 'services/actions/secrets-cli', help: 'makes the next secrets of a running stack' },
  containers: {
    file: 'web/build/containers/containers-cli',
    help: "writes the files from which the site's containers are built",
  },
  'map-stack': {
    file: 'web/build/source-maps/map-stack-cli',
    help: 'puts your files and lines into stacks of minified scripts',
  },
  exec: { file: 'services/stack/exec-cli', help: 'runs a command on the Node of the stack' },
}
