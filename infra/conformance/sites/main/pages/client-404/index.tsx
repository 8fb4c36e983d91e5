import { Links } from '../../components/links'
import { State } from '../../components/state'

const at = '/client-404'

export default function Start() {
  return (
    <>
      <State />
      <Links to={{ nothing: { href: `${at}/[id]/nothing`, as: `${at}/any/nothing` } }} />
      {/* Out of view: the code of its page is not prefetched before the click. */}
      <div style={{ height: '300vh' }} />
      <Links to={{ far: { href: `${at}/far` } }} />
    </>
  )
}
