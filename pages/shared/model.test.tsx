import { act } from "preact/test-utils";
import { expect, test } from "vitest";
import { shown } from "../testing/page";
import { Model, useModel } from "./model";

class Count extends Model {
  value = 0;
  add() {
    this.value++;
    this.changed();
  }
}

test("a component is drawn again when its model changes, and no longer once it is gone", async () => {
  const count = new Count();
  let drawn = 0;
  const View = () => {
    drawn++;
    return <b>{useModel(count).value}</b>;
  };
  const root = shown(<View />);
  await act(() => count.add());
  expect(root.textContent).toBe("1");
  root.show(null);
  const before = drawn;
  await act(() => count.add());
  expect(drawn).toBe(before);
});

test("what changes while a component is drawn first is not missed", () => {
  const count = new Count();
  const Early = () => {
    const { value } = useModel(count);
    return <Child value={value} />;
  };
  const Child = ({ value }: { value: number }) => {
    // It is drawn before its parent follows the model.
    if (count.value === 0) count.add();
    return <b>{value}</b>;
  };
  expect(shown(<Early />).textContent).toBe("1");
});
