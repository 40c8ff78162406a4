"""The page: for now one line."""

import streamlit as st

st.title("Anabranch")
st.write("Hello")
