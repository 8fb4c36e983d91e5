import { Rows } from '../../components/rows'

export default function Second({ tree }: { tree?: string }) {
  return (
    <>
      <Rows />
      <pre id="tree">{tree}</pre>
    </>
  )
}
