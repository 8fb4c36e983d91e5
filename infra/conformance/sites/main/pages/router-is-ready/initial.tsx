import { Ready } from '../../components/router-is-ready/ready'

export default function Initial() {
  return <Ready />
}

Initial.getInitialProps = () => ({})
