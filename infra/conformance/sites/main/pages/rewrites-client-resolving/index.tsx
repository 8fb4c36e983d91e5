import { Links } from '../../components/links'
import { State } from '../../components/state'

const at = '/rewrites-client-resolving'

export default function Start() {
  return (
    <>
      <State />
      <Links
        to={{
          things: { href: `${at}/things` },
          thing: { href: `${at}/things/first` },
          group: { href: `${at}/group` },
          'group-one': { href: `${at}/group/first` },
          'group-two': { href: `${at}/group/first/second` },
        }}
      />
    </>
  )
}
