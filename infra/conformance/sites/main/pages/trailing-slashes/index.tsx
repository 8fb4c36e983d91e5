import { Links } from '../../components/trailing-slashes/links'

export default function Page() {
  return <Links />
}
