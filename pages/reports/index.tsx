export default function ReportsRoom() {
  return <h1>Reports</h1>;
}
