import type { GetServerSidePropsContext } from 'next'
import { askedOf } from '../../components/asked'
import { Links } from '../../components/links'
import { State } from '../../components/state'

export const getServerSideProps = async (context: GetServerSidePropsContext) => ({
  props: { ...askedOf(context), level: Math.random() },
})

export default function Tides(props: object) {
  return (
    <main>
      <State props={props} />
      <Links to={{ home: { href: '/getserversideprops' } }} />
    </main>
  )
}
