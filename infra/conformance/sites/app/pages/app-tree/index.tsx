import { Rows } from '../../components/rows'

export default function First({ tree }: { tree?: string }) {
  return (
    <>
      <Rows />
      <pre id="tree">{tree}</pre>
    </>
  )
}
