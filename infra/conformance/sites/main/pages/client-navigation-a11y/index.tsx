import { Links } from '../../components/links'
import { State } from '../../components/state'

const at = '/client-navigation-a11y'

export default function Start() {
  return (
    <>
      <State />
      <Links
        to={{
          both: { href: `${at}/both` },
          heading: { href: `${at}/heading` },
          title: { href: `${at}/title` },
          neither: { href: `${at}/neither` },
        }}
      />
    </>
  )
}
