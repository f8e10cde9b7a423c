const card = document.getElementById("card");
const pay = document.getElementById("pay");
card.addEventListener("change", () => {
  pay.disabled = card.value.length !== 16;
});
pay.addEventListener("click", () => {
  document.querySelector("[role=alert]").textContent = "Paid";
});
