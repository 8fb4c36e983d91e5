import harbour from '../../../lib/client-navigation/harbour.json'

export default function Data() {
  return <h1>{harbour.name}</h1>
}
