import timetable from '../../lib/client-navigation/timetable'

export const getServerSideProps = async () => ({ props: { text: await timetable() } })

/** Its module is CommonJS, in the browser, too. */
export default function Timetable({ text }: { text: string }) {
  return (
    <p>
      {text} by {timetable.name}
    </p>
  )
}
