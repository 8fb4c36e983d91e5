module.exports = async function timetable() {
  return 'every hour'
}
