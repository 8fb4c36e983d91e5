import type { GetServerSidePropsContext } from 'next'
import { askedOf } from '../../../../components/asked'
import { Links } from '../../../../components/links'
import { State } from '../../../../components/state'

export async function getServerSideProps(context: GetServerSidePropsContext) {
  if (context.params?.ship === 'sunk') throw new Error('the ship is lost')
  return { props: askedOf(context) }
}

export default function Ship(props: object) {
  return (
    <main>
      <State props={props} />
      <Links to={{ home: { href: '/getserversideprops' } }} />
    </main>
  )
}
