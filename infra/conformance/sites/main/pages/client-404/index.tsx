import { Links } from '../../components/links'
import { State } from '../../components/state'

const at = '/client-404'

export default function Start() {
  return (
    <>
      <State />
      <Links to={{ nothing: { href: `${at}/[id]/nothing`, as: `${at}/any/nothing` }, far: { href: `${at}/far` } }} />
    </>
  )
}
