import { Links } from '../components/trailing-slashes/links'

export default function Near() {
  return <Links at="" paths={['', '/trailing-slashes/about']} />
}
