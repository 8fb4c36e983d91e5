import { Links } from '../../components/links'
import { State } from '../../components/state'

const at = '/getserversideprops'

export const getServerSideProps = async () => ({ props: { harbour: 'North' } })

export default function Harbour({ harbour }: { harbour: string }) {
  return (
    <main>
      <h1>Harbour {harbour}</h1>
      <State props={{ harbour }} />
      <Links
        to={{
          arrivals: { href: `${at}/arrivals` },
          tides: { href: `${at}/tides` },
          'tides-query': { href: `${at}/tides?moon=full` },
          plan: { href: `${at}/plan` },
          ship: { href: `${at}/ships/[ship]`, as: `${at}/ships/aurora` },
          cabin: { href: `${at}/ships/[ship]/[cabin]`, as: `${at}/ships/aurora/seven` },
          sunk: { href: `${at}/ships/[ship]`, as: `${at}/ships/sunk` },
          ferry: { href: `${at}/ferry` },
          calendar: { href: `${at}/calendar` },
        }}
      />
    </main>
  )
}
