import { Links } from '../../components/links'
import { State } from '../../components/state'

const at = '/route-load-cancel'

export default function Start() {
  return (
    <>
      <State />
      <Links to={{ slow: { href: `${at}/slow` }, fast: { href: `${at}/fast` } }} />
    </>
  )
}
