export const Boat = () => <p>a boat</p>
