export const getServerSideProps = async () => ({ props: { day: new Date(Date.UTC(1890, 4, 1)) } })

/** JSON has no dates: the page gets a text in the browser. */
export default function Calendar({ day }: { day: Date | string }) {
  return <p id="day">Day {day.toString()}</p>
}
