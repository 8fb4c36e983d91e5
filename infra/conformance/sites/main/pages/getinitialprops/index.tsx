import { State } from '../../components/state'

export default function Market({ day }: { day: string }) {
  return <State props={{ day }} />
}

Market.getInitialProps = async () => ({ day: 'Saturday' })
